#include "cli/analyse/inspected_kernel.h"

namespace kerlab::cli {

InspectedKernel to_report(Inspection inspection) {
  InspectedKernel kernel;
  kernel.trial = std::move(inspection.trial);
  kernel.title = std::move(inspection.title);
  kernel.how = std::move(inspection.how);
  kernel.device = std::move(inspection.device);
  kernel.note = std::move(inspection.note);
  kernel.completion = std::move(inspection.completion);
  kernel.launches = std::move(inspection.launches);
  kernel.modelled_us = inspection.modelled_us;
  kernel.roof_us = inspection.roof_us;
  kernel.flops = inspection.flops;
  kernel.bytes = inspection.bytes;
  for (StoredTime& time : inspection.stored)
    kernel.recorded.push_back({time.trial, std::move(time.device_class), std::move(time.measurement)});
  return kernel;
}

}  // namespace kerlab::cli
