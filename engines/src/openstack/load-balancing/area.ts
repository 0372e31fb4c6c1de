import type { CloudArea } from '../area'
import { loadBalancerReader } from './balancers/reader'
import { loadBalancingCommands } from './commands'
import { lbFlavorProfileReader, lbFlavorReader } from './flavors/reader'
import { learnBalancing, unknownBalancerService } from './learn'
import { lbPoolReader } from './pools/reader'

export const loadBalancingOfCloud: CloudArea<'load-balancing'> = {
  area: 'load-balancing',
  readers: [lbFlavorProfileReader, lbFlavorReader, lbPoolReader, loadBalancerReader],
  open({ engine, quotaLimits }) {
    const service = unknownBalancerService()
    return {
      port: loadBalancingCommands(engine, service, quotaLimits),
      capabilities: service.capabilities,
      watch: learnBalancing({ account: engine.reading.caller, log: engine.log }, service),
    }
  },
}
