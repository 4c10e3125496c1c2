#pragma once
// What blocks leave in shared memory for those of the next launch. On a GPU nobody clears it.

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace kerlab::emu {

/// Of launches in a row. A block finds what was left where it runs by the last launch that had a block there, and
/// nothing of its own launch: so it is the same whichever threads execute which blocks. Calls of one launch may come
/// from several threads.
class KeptShared {
 public:
  /// A launch of which so many blocks fit the device at once: they run in as many places by turns.
  void begin_launch(std::int64_t places);
  void end_launch();
  /// Copies what was left there; what lies beyond it stays as it is.
  void begin_block(std::int64_t block, std::span<std::byte> shared) const;
  void end_block(std::int64_t block, std::span<const std::byte> shared);
  /// Of all that is left.
  [[nodiscard]] std::string digest() const;

 private:
  struct Left {
    std::int64_t block = 0;
    std::vector<std::byte> bytes;
  };
  std::int64_t places_ = 1;
  std::map<std::int64_t, std::vector<std::byte>> before_;  ///< by place, of earlier launches
  std::map<std::int64_t, Left> now_;                       ///< of the launch that runs: by its last block there
  std::mutex mutex_;                                       ///< of now_
};

}  // namespace kerlab::emu
