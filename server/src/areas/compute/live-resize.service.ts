import { fieldProblem } from '@mainstay/contract/core/problems'
import type { DomainProperties } from '../../store/domain-properties'

/** Whether instances of a domain may be allowed to grow while they run. */
export const mayResizeLive = (properties: DomainProperties, domainId: string): Promise<boolean> =>
  properties.has(domainId, 'allow_live_resize')

/** Throws `unsupported` where it is off. Instances that were allowed it before keep it. */
export async function checkLiveResize(properties: DomainProperties, domainId: string): Promise<void> {
  if (!(await mayResizeLive(properties, domainId)))
    throw fieldProblem('allow_live_resize', 'compute.live_resize_disabled')
}
