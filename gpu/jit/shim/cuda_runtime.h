// The run-time compiler knows threadIdx, the shuffles and the rest by itself.
#pragma once
