import type { MachineArea } from './area'
import { vpnCapabilities, vpnCommands } from '../vpn/commands'
import { followTunnels } from '../vpn/follow-tunnels'
import { vpnJobs } from '../vpn/jobs'

export const vpnOfMachine: MachineArea<'vpn'> = {
  area: 'vpn',
  open: ({ engine }) => ({
    port: vpnCommands(engine),
    capabilities: vpnCapabilities,
    jobs: vpnJobs(engine),
    follow: () => followTunnels(engine),
  }),
}
