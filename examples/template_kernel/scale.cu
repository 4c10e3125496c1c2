// The header as it is: which instance a launch means stands in scale.toml.
#include "scale.cuh"
