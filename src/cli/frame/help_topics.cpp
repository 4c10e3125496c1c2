#include "cli/frame/help_topics.h"

namespace kerlab::cli {

namespace {

constexpr HelpTopic kExitCodes[] = {
    {"0", "passed"},
    {"1", "tool or environment error, a description that is wrong, or no winner"},
    {"2", "confirmed performance regression"},
    {"3", "wrong result, or something that check --sanitize found"},
    {"4", "inconclusive or unsupported: a dtype, an architecture, an instruction, a driver too old"},
    {"5", "no comparable baseline; nothing to export; an exported file is stale"},
    {"64", "what was typed is wrong"},
    {"130", "interrupted"},
};

constexpr HelpTopic kEnvironment[] = {
    {"CUDA_HOME", "the CUDA Toolkit, for NVRTC; else /usr/local/cuda"},
    {"KERLAB_DEVICE", "device, as --device"},
    {"KERLAB_DB", "tuning database, as --db"},
    {"KERLAB_KERNELS", "folders of families, separated by ':', looked in after --kernels"},
    {"KERLAB_LIBRARIES", "plug-ins of libraries, separated by ':', where no --library is typed"},
    {"KERLAB_INCLUDE", "folders of headers that sources may include, separated by ':', looked in after --include"},
    {"KERLAB_CACHE", "folder of compiled kernels"},
    {"KERLAB_SHARE", "folder of kernels/ and configs/"},
    {"KERLAB_NVRTC", "a certain libnvrtc.so"},
    {"KERLAB_MODULE_LOADING", "EAGER: cuBLASLt is loaded whole, as before drivers of CUDA 12.4; seconds"},
    {"KERLAB_EMU_THREADS", "threads that emulate; every core"},
    {"KERLAB_EMU_BUDGET", "instructions of a warp that an emulated block may take"},
    {"KERLAB_PAGER, PAGER", "shows texts longer than the screen; empty or cat: nothing does"},
    {"KERLAB_WATCH", "polling: for watch, where inotify tells nothing"},
    {"KERLAB_PREFIX", "an installed tree that ./kerlab of a checkout runs instead of building"},
    {"NO_COLOR", "set: no colours"},
};

constexpr HelpTopic kFiles[] = {
    {"kerlab.toml", "here or in a folder above: device, kernels, db, suites, margins (kerlab device shows them)"},
    {"~/.config/kerlab/kerlab.toml", "include = [...]: folders of headers, as --include (XDG_CONFIG_HOME)"},
    {"tuning_db/kerlab.db", "in a checkout: the tuning database"},
    {"~/.local/share/kerlab/kerlab.db", "elsewhere: the tuning database (XDG_DATA_HOME; kerlab db path)"},
    {"~/.cache/kerlab", "compiled kernels (XDG_CACHE_HOME)"},
    {"FAMILY/family.toml, reference.cu, VARIANT.toml, VARIANT.cu", "a kernel, as kernels/FORMAT.md describes it"},
};

}  // namespace

std::span<const HelpTopic> exit_codes() {
  return kExitCodes;
}

std::span<const HelpTopic> environment_variables() {
  return kEnvironment;
}

std::span<const HelpTopic> known_files() {
  return kFiles;
}

}  // namespace kerlab::cli
