import type { Instance } from '@mainstay/contract/compute/instances'

/** Props of every tab on the details page. */
export interface InstanceTabProps {
  instance: Instance
}
