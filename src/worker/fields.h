#pragma once
// The fields of everything that crosses between parent and worker, each list written once: the same function encodes
// and decodes. An archive is called as archive("name", member); enums name their last value.

#include "worker/messages.h"

// clang-format off
namespace kerlab::worker {

/// How the alternatives of a variant are called in a frame, in their order.
inline constexpr const char* kArgumentNames[] = {"scalar", "tensor", "workspace", "map", "slot"};
inline constexpr const char* kRequestNames[] = {"hello",    "problem", "load",   "check",     "time",
                                                "run_once", "unload",  "health", "ceilings", "library", "bye",
                                                "sanitize", "energy",  "neighbours", "count_cost"};
inline constexpr const char* kReplyNames[] = {"hello", "ready",   "loaded",    "checked", "timed",
                                              "done",  "healthy", "ceilings", "library", "fault",   "sanitized",
                                              "energy", "neighbours", "cost", "working"};
static_assert(std::size(kArgumentNames) == std::variant_size_v<Argument>);
static_assert(std::size(kRequestNames) == std::variant_size_v<Request>);
static_assert(std::size(kReplyNames) == std::variant_size_v<Reply>);

struct Protocol {
  static constexpr const char* kName = "worker protocol";
};
constexpr auto& alternative_names(Protocol, const Argument&) { return kArgumentNames; }
constexpr auto& alternative_names(Protocol, const Request&) { return kRequestNames; }
constexpr auto& alternative_names(Protocol, const Reply&) { return kReplyNames; }

template <typename Archive> void fields(Archive& a, Dim3& v) { a("x", v.x); a("y", v.y); a("z", v.z); }
template <typename Archive> void fields(Archive& a, ScalarArgument& v) { a("bytes", v.bytes); a("text", v.text); }
template <typename Archive> void fields(Archive& a, TensorArgument& v) {
  a("tensor", v.tensor); a("offset", v.offset_bytes);
}
template <typename Archive> void fields(Archive& a, WorkspaceArgument& v) {
  a("workspace", v.workspace); a("offset", v.offset_bytes);
}
template <typename Archive> void fields(Archive& a, TensorMapSpec& v) {
  a("tensor", v.tensor); a("offset", v.offset_bytes); a("dtype", v.dtype, kLastDType); a("dims", v.dims);
  a("strides", v.stride_bytes); a("box", v.box); a("swizzle", v.swizzle, Swizzle::b128);
  a("promotion", v.promotion, L2Promotion::b256); a("nan_fill", v.nan_fill);
}
template <typename Archive> void fields(Archive& a, TensorMapArgument& v) { a("map", v.map); }
template <typename Archive> void fields(Archive& a, ReferenceSlot& v) { a("slot", v, ReferenceSlot::code); }
template <typename Archive> void fields(Archive& a, Workspace& v) {
  a("name", v.name); a("bytes", v.bytes); a("init", v.init, WorkspaceInit::zero_once);
}
template <typename Archive> void fields(Archive& a, Launch& v) {
  a("kernel", v.kernel); a("grid", v.grid); a("block", v.block); a("cluster", v.cluster);
  a("shared", v.dynamic_shared); a("arguments", v.arguments); a("cooperative", v.cooperative);
  a("in_order", v.in_order); a.unless_default("programmatic", v.programmatic); a.unless_default("carveout", v.carveout);
}
template <typename Archive> void fields(Archive& a, Pitch& v) { a("tensor", v.tensor); a("elements", v.elements); }
template <typename Archive> void fields(Archive& a, Accuracy& v) {
  a("normwise", v.normwise); a("may_be_nan", v.may_be_nan); a("against_kernel", v.against_kernel);
  a.unless_default("against_recordings", v.against_recordings);
}
template <typename Archive> void fields(Archive& a, SymbolCopy& v) { a("symbol", v.symbol); a("tensor", v.tensor); }
template <typename Archive> void fields(Archive& a, LaunchPlan& v) {
  a("workspaces", v.workspaces); a("launches", v.launches); a("alignment", v.alignment);
  a("pitches", v.pitches); a("start", v.start, Start::graph);
  a("accuracy", v.accuracy); a("symbols", v.symbols); a("prepare", v.prepare);
}
template <typename Archive> void fields(Archive& a, IntegerRange& v) {
  a("least", v.least); a("end", v.end); a("ignored", v.ignored); a("order", v.order, IntegerOrder::rising);
  a("rows", v.rows);
}
template <typename Archive> void fields(Archive& a, Tensor& v) {
  a("name", v.name); a("dtype", v.dtype, kLastDType); a("role", v.role, Role::inout); a("shape", v.shape);
  a("partition", v.partition); a("unread", v.unread); a("range", v.range); a.unless_default("hot", v.hot);
  a.unless_default("tied", v.tied); a("complex", v.complex);
}
template <typename Archive> void fields(Archive& a, Plant& v) {
  a("what", v.what); a("tensor", v.tensor); a("along_columns", v.along_columns); a("every", v.every);
  a("phase", v.phase); a("count", v.count); a("value", v.value);
}
template <typename Archive> void fields(Archive& a, Recipe& v) {
  a("name", v.name); a("version", v.version); a("seed", v.seed); a("parameters", v.parameters); a("exact", v.exact);
  a("base", v.base); a("plants", v.plants); a("integers", v.integers); a("parts", v.parts);
  a.unless_default("magnitude", v.magnitude);
}
template <typename Archive> void fields(Archive& a, Tolerance& v) {
  a("value_factor", v.value_factor); a("scale_factor", v.scale_factor); a("absolute", v.absolute);
  a.unless_default("bits", v.bits);
}
template <typename Archive> void fields(Archive& a, RecordedFiles& v) {
  a("value", v.value); a("scale", v.scale); a("digest", v.digest);
}
template <typename Archive> void fields(Archive& a, ReferencePlan& v) {
  a("output", v.output); a("launch", v.launch); a("accumulator", v.accumulator, kLastDType);
  a("outputs_per_index", v.outputs_per_index); a("tolerance", v.tolerance); a("rows_sum_to", v.rows_sum_to);
  a("checker", v.checker); a("codes", v.codes); a.unless_default("recorded", v.recorded);
}
template <typename Archive> void fields(Archive& a, GemmCall& v) {
  a("m", v.m); a("n", v.n); a("k", v.k); a("batch", v.batch); a("transpose_a", v.transpose_a); a("transpose_b", v.transpose_b);
  a("alpha", v.alpha); a("beta", v.beta); a("a", v.a); a("b", v.b); a("c", v.c);
  a("d", v.d); a("out", v.out, kLastDType); a("added", v.added, kLastDType); a("fast", v.fast);
}
template <typename Archive> void fields(Archive& a, ReferenceWorkspace& v) {
  a("name", v.name); a("bytes", v.bytes); a("copy", v.copy);
}
template <typename Archive> void fields(Archive& a, ProblemPlan& v) {
  a("key", v.key); a("tensors", v.tensors); a("references", v.references); a("recipes", v.recipes);
  a("flops", v.flops); a("bytes", v.bytes); a("minimum_us", v.minimum_us);
  a("library_gemm", v.library_gemm); a("before_reference", v.before_reference);
  a("reference_workspaces", v.reference_workspaces);
}
template <typename Archive> void fields(Archive& a, DeviceInfo& v) {
  a("id", v.id); a("kind", v.kind, DeviceKind::script); a("name", v.name); a("uuid", v.uuid);
  a("cc_major", v.cc_major); a("cc_minor", v.cc_minor); a("driver_version", v.driver_version);
  a("driver", v.driver); a("sms", v.sms); a("memory_bytes", v.memory_bytes); a("l2_bytes", v.l2_bytes);
  a("shared_per_block", v.shared_per_block); a("shared_per_sm", v.shared_per_sm);
  a("shared_reserved", v.shared_reserved); a("registers_per_block", v.registers_per_block);
  a("registers_per_sm", v.registers_per_sm); a("threads_per_block", v.threads_per_block);
  a("threads_per_sm", v.threads_per_sm); a("blocks_per_sm", v.blocks_per_sm); a("warp_size", v.warp_size);
  a("clock_mhz", v.clock_mhz); a("memory_clock_mhz", v.memory_clock_mhz);
  a("memory_bus_bits", v.memory_bus_bits); a("fp64_ratio", v.fp64_ratio);
  a("has_library", v.has_library);
  a("clusters_of_1", v.max_active_clusters[0]); a("clusters_of_2", v.max_active_clusters[1]);
  a("clusters_of_4", v.max_active_clusters[2]); a("clusters_of_8", v.max_active_clusters[3]);
  a("clusters_of_16", v.max_active_clusters[4]);
  a("is_hardware", v.is_hardware); a("is_scripted", v.is_scripted); a("has_clock", v.has_clock);
  a("can_hang", v.can_hang); a("is_slow", v.is_slow); a("loads_ptx", v.loads_ptx);
  a("counts_exactly", v.counts_exactly); a("executes_samples", v.executes_samples);
}
template <typename Archive> void fields(Archive& a, KernelResources& v) {
  a("kernel", v.kernel); a("registers", v.registers); a("local_bytes", v.local_bytes);
  a("spill_bytes", v.spill_bytes); a("static_shared", v.static_shared); a("max_threads", v.max_threads);
  a("blocks_per_sm", v.blocks_per_sm); a("independent_blocks", v.independent_blocks);
}
template <typename Archive> void fields(Archive& a, Mismatch& v) {
  a("index", v.index); a("place", v.place); a("got", v.got); a("expected", v.expected); a("tolerance", v.tolerance);
}
template <typename Archive> void fields(Archive& a, RoundingReport& v) {
  a("elements", v.elements); a("rms", v.rms); a("ideal_rms", v.ideal_rms); a("bias", v.bias);
  a("outward", v.outward); a("bias_limit", v.bias_limit);
}
template <typename Archive> void fields(Archive& a, RecipeReport& v) {
  a("recipe", v.recipe); a("output", v.output); a("passed", v.passed); a("compared", v.compared);
  a("cause", v.cause, Cause::checker); a("runs", v.runs); a("rounding", v.rounding); a("first", v.first);
  a("picture", v.picture); a("scale", v.scale); a("pattern", v.pattern); a("culprit", v.culprit);
  a("mismatches", v.mismatches); a("nans", v.nans); a("error_ratio", v.error_ratio); a("rms_ratio", v.rms_ratio);
  a("worst_index", v.worst_index); a("worst_got", v.worst_got); a("worst_expected", v.worst_expected);
  a("worst_tolerance", v.worst_tolerance); a("detail", v.detail); a("in_small", v.in_small);
}
template <typename Archive> void fields(Archive& a, CheckReport& v) {
  a("recipes", v.recipes); a("guard_violation", v.guard_violation); a("input_modified", v.input_modified);
  a("first_us", v.first_us); a("blocks", v.blocks); a("blocks_run", v.blocks_run); a("whole_small", v.whole_small);
  a("runs", v.runs);
}
template <typename Archive> void fields(Archive& a, Counts& v) {
  for (std::size_t i = 0; i < kPipes; ++i) {
    const std::string pipe(name(static_cast<Pipe>(i)));
    a((pipe + "_warps").c_str(), v.warp_instructions[i]);
    a((pipe + "_lanes").c_str(), v.lane_instructions[i]);
  }
  a("flops", v.flops); a("tensor_flops", v.tensor_flops); a("global_load_bytes", v.global_load_bytes);
  a("global_store_bytes", v.global_store_bytes); a("global_requests", v.global_requests);
  a("global_sectors", v.global_sectors); a("shared_load_bytes", v.shared_load_bytes);
  a("shared_store_bytes", v.shared_store_bytes); a("shared_requests", v.shared_requests);
  a("shared_wavefronts", v.shared_wavefronts); a("local_bytes", v.local_bytes); a("atomics", v.atomics);
  a("divergent_branches", v.divergent_branches); a("barriers", v.barriers);
  a("barrier_waits", v.barrier_waits);
}
template <typename Archive> void fields(Archive& a, Stretch& v) {
  a("executions", v.executions); a("instructions", v.instructions); a("chain", v.chain);
  a("loads", v.loads); a("awaited", v.awaited); a("pending", v.pending); a("commits", v.commits);
  a("held", v.held); a("fetched", v.fetched);
}
template <typename Archive> void fields(Archive& a, Traffic& v) {
  a("touched", v.touched); a("first", v.first); a("again", v.again); a("written", v.written);
}
template <typename Archive> void fields(Archive& a, Pipeline& v) {
  a("blocks", v.blocks); a("expected", v.expected); a("most_expected", v.most_expected); a("waits", v.waits);
  a("unfinished", v.unfinished); a("most_products", v.most_products); a("least_products", v.least_products);
}
template <typename Archive> void fields(Archive& a, CodeLine& v) {
  a("file", v.file); a("line", v.line); a("ptx_line", v.ptx_line); a("caller_file", v.caller_file);
  a("caller_line", v.caller_line);
}
template <typename Archive> void fields(Archive& a, LineCounts& v) {
  a("line", v.line); a("text", v.text); a("pipe", v.pipe, static_cast<Pipe>(kPipes - 1));
  a("warps", v.warp_instructions); a("lanes", v.lane_instructions);
  a("global_requests", v.global_requests); a("shared_requests", v.shared_requests); a("bytes", v.bytes);
  a("sectors", v.sectors); a("least_sectors", v.least_sectors); a("wavefronts", v.wavefronts);
  a("least_wavefronts", v.least_wavefronts); a("waits", v.waits); a("divergences", v.divergences);
}
template <typename Archive> void fields(Archive& a, Finding& v) {
  a("hazard", v.hazard, kLastHazard); a("message", v.message); a("line", v.line); a("other", v.other);
  a("count", v.count);
}
template <typename Archive> void fields(Archive& a, SanitizedLaunch& v) {
  a("kernel", v.kernel); a("blocks", v.blocks); a("blocks_run", v.blocks_run); a("findings", v.findings);
  a("faulted", v.faulted);
}
template <typename Archive> void fields(Archive& a, CountedLaunch& v) {
  a("kernel", v.kernel); a("grid", v.grid); a("block", v.block); a("dynamic_shared", v.dynamic_shared);
  a("blocks", v.blocks); a("blocks_run", v.blocks_run); a("counts", v.counts);
  a("stretches", v.stretches); a("traffic", v.traffic); a("lines", v.lines);
  a("in_graph", v.in_graph); a("cluster", v.cluster); a("pipeline", v.pipeline);
}
template <typename Archive> void fields(Archive& a, TimingSchedule& v) {
  a("rounds", v.rounds); a("cold", v.cold); a("abandon_us", v.abandon_us); a("batch_below_us", v.batch_below_us);
  a("settle", v.settle); a("seed", v.seed); a("mirrored", v.mirrored); a("cross_check", v.cross_check);
}
template <typename Archive> void fields(Archive& a, ForeignProcess& v) {
  a("pid", v.pid); a("name", v.name); a("memory_bytes", v.memory_bytes);
}
template <typename Archive> void fields(Archive& a, DeviceConditions& v) {
  a("reasons", v.reasons); a("watts", v.watts); a("celsius", v.celsius);
}
template <typename Archive> void fields(Archive& a, SampleSet& v) {
  a("id", v.id); a("samples_us", v.samples_us); a("sm_clock_mhz", v.sm_clock_mhz); a("protocol", v.protocol);
  a("cache", v.cache, kLastCacheState); a("clock", v.clock, kLastClockKind); a("abandoned", v.abandoned); a("guard_violation", v.guard_violation);
  a("warning", v.warning); a("launches", v.launches); a("neighbours", v.neighbours);
  a("conditions", v.conditions); a("discarded", v.discarded); a("host_ratio", v.host_ratio);
}
template <typename Archive> void fields(Archive& a, Ceiling& v) { a("name", v.name); a("unit", v.unit); a("value", v.value); }

template <typename Archive> void fields(Archive& a, EnergySample& v) {
  a("id", v.id); a("runs", v.runs); a("run_us", v.run_us); a("watts", v.watts); a("sm_clock_mhz", v.sm_clock_mhz);
}

template <typename Archive> void fields(Archive& a, request::Hello& v) { a("version", v.version); }
template <typename Archive> void fields(Archive& a, request::SetProblem& v) {
  a("problem", v.problem); a("lab_image", v.lab_image); a("reference_image", v.reference_image);
  a("small", v.small); a("small_reference_image", v.small_reference_image); a("placement", v.placement);
  a("timed", v.timed);
}
template <typename Archive> void fields(Archive& a, request::CountCost& v) {
  a("problem", v.problem); a("lab_image", v.lab_image); a("reference_image", v.reference_image); a("launch", v.launch);
}
template <typename Archive> void fields(Archive& a, request::Load& v) {
  a("id", v.id); a("label", v.label); a("image", v.image); a("plan", v.plan);
  a("small_plan", v.small_plan);
}
template <typename Archive> void fields(Archive& a, request::Check& v) {
  a("id", v.id); a("recipes", v.recipes); a("thorough", v.thorough); a("hazards", v.hazards);
  a("sampling", v.sampling, Sampling::first_launch); a("nondeterministic", v.nondeterministic); a("fresh", v.fresh);
  a("explain", v.explain);
}
template <typename Archive> void fields(Archive& a, request::Time& v) {
  a("ids", v.ids); a("schedule", v.schedule); a("library", v.library);
  a("lines", v.lines);
}
template <typename Archive> void fields(Archive&, request::Library&) {}
template <typename Archive> void fields(Archive& a, request::RunOnce& v) { a("id", v.id); }
template <typename Archive> void fields(Archive& a, request::Unload& v) { a("id", v.id); }
template <typename Archive> void fields(Archive&, request::Health&) {}
template <typename Archive> void fields(Archive&, request::Ceilings&) {}
template <typename Archive> void fields(Archive&, request::Neighbours&) {}
template <typename Archive> void fields(Archive&, request::Bye&) {}
template <typename Archive> void fields(Archive& a, request::Sanitize& v) { a("id", v.id); }
template <typename Archive> void fields(Archive& a, request::Energy& v) {
  a("ids", v.ids); a("seconds", v.seconds); a("library", v.library);
}

template <typename Archive> void fields(Archive& a, reply::Hello& v) {
  a("magic", v.magic); a("version", v.version); a("device", v.device);
}
template <typename Archive> void fields(Archive& a, reply::ProblemReady& v) {
  a("prepare_ms", v.prepare_ms); a("device_bytes", v.device_bytes); a("rotation_sets", v.rotation_sets);
}
template <typename Archive> void fields(Archive& a, reply::CostCounted& v) { a("flops", v.flops); a("bytes", v.bytes); }
template <typename Archive> void fields(Archive& a, reply::Loaded& v) { a("id", v.id); a("resources", v.resources); }
template <typename Archive> void fields(Archive& a, reply::Checked& v) { a("id", v.id); a("report", v.report); }
template <typename Archive> void fields(Archive& a, reply::Timed& v) { a("samples", v.samples); }
template <typename Archive> void fields(Archive& a, reply::LibraryReady& v) {
  a("rows", v.rows); a("message", v.message); a("load_ms", v.load_ms); a("choose_ms", v.choose_ms);
  a("read_ms", v.read_ms); a("start_ms", v.start_ms);
}
template <typename Archive> void fields(Archive&, reply::Done&) {}
template <typename Archive> void fields(Archive&, reply::Working&) {}
template <typename Archive> void fields(Archive& a, reply::Healthy& v) {
  a("canary_right", v.canary_right); a("canary_us", v.canary_us); a("text", v.text);
}
template <typename Archive> void fields(Archive& a, reply::Ceilings& v) { a("ceilings", v.ceilings); }
template <typename Archive> void fields(Archive& a, reply::Neighbours& v) { a("processes", v.processes); }
template <typename Archive> void fields(Archive& a, reply::Sanitized& v) { a("launches", v.launches); }
template <typename Archive> void fields(Archive& a, reply::Energy& v) { a("samples", v.samples); a("message", v.message); }
template <typename Archive> void fields(Archive& a, reply::Fault& v) {
  a("kind", v.kind, FaultKind::other); a("message", v.message); a("sticky", v.sticky);
  a("exit_code", v.exit_code); a("device_taken", v.device_taken);
  a("of", v.of, reply::FaultOf::reference);
}

}  // namespace kerlab::worker
