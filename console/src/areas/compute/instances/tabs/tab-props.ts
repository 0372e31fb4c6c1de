import type { Instance } from '@mainstay/contract/compute/instances'

/** What every tab of the details gets. */
export interface InstanceTabProps {
  instance: Instance
}
