import type { Network } from '@mainstay/contract/networking/networks'
import { PortTable } from '../ports/PortTable'

/** All ports in a network. */
export const NetworkPorts = ({ network }: { network: Network }) => <PortTable only={{ network_id: network.id }} />
