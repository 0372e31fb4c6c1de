import type { Instance } from '@mainstay/contract/compute/instances'

/** Props of every tab of the details. */
export interface InstanceTabProps {
  instance: Instance
}
