#pragma once
// One kernel that a command is about, as typed.

#include <cstdint>
#include <string>

#include "base/modules.h"

namespace kerlab::session {

struct SubjectName {
  std::int64_t trial = 0;                      ///< of a stored trial; else 0 and
  std::string family, variant, configuration;  ///< variant and configuration may be empty
  std::string revision = {};                   ///< of git, that its family's folder is read from; empty: as it is now
};

/// "12", "trial:12", "gemm", "gemm/reg2d", "gemm/reg2d:BM=64,BN=64", "./my_op", "./my_op/tile2d", "./my_op/tile2d.cu",
/// "gemm/reg2d@HEAD~3:BM=64". Throws UsageError.
SubjectName parse_subject(const std::string& text);

/// Back again: "gemm/reg2d@HEAD~3:BM=64", "trial 12".
std::string subject_text(const SubjectName& name);

/// For commands that take kernels only as they are now. Throws UsageError that names those that take a revision.
void refuse_revision(const SubjectName& name);

}  // namespace kerlab::session
