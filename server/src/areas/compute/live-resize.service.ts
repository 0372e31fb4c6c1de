import { fieldProblem } from '@mainstay/contract/core/problems'
import type { DomainProperties } from '../../store/domain-properties'

/** Whether the domain allows live resize to be enabled for its instances. */
export const mayResizeLive = (properties: DomainProperties, domainId: string): Promise<boolean> =>
  properties.has(domainId, 'allow_live_resize')

/**
 * Throws `unsupported` if the domain does not allow live resize. Instances with live resize already enabled keep it.
 */
export async function checkLiveResize(properties: DomainProperties, domainId: string): Promise<void> {
  if (!(await mayResizeLive(properties, domainId)))
    throw fieldProblem('allow_live_resize', 'compute.live_resize_disabled')
}
