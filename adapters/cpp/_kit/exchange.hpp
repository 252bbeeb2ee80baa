/* What the kit's own files share. */
#pragma once

#include "fetchoff.hpp"

namespace fetchoff
{

Exchange exchange_of(const fo_exchange &exchange);
Settings settings_of(const fo_settings &settings);

} // namespace fetchoff
