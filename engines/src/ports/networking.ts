import type { Instance, InstanceDraft, InstanceInterfaceChange } from '@mainstay/contract/compute/instances'
import type { PlainPorts } from './plain'
import type { Scope } from './scope'

/* What an engine of networking does. Commands answer and refuse as those of compute do (see `compute.ts`). */

/** Ports of networks, as the network cards of instances. */
export interface InterfacesPort {
  attach(scope: Scope, instanceId: string, draft: InstanceDraft['networks'][number]): Promise<Instance>
  detach(scope: Scope, instanceId: string, portId: string): Promise<Instance>
  /** Throws `unsupported` with the field of what this engine cannot do. */
  update(scope: Scope, instanceId: string, portId: string, change: InstanceInterfaceChange): Promise<Instance>
}

export interface NetworkingPort extends PlainPorts<'networking'> {
  interfaces: InterfacesPort
}
