import { images, type Image } from '@mainstay/contract/compute/images'
import { fillPath } from '@mainstay/contract/core/endpoint'
import { addressOf } from '../../../api/address'
import { downloadFrom } from '../../../api/transfers/download'
import { isAllTenants, sessionNow } from '../../../session/session'

/**
 * Lets the browser fetch the file by itself, so that nothing of it passes through the page. It sends its cookie only,
 * which belongs to no project; the address says which one.
 */
export function downloadImage({ id }: Pick<Image, 'id'>) {
  const session = sessionNow()
  const project = isAllTenants(session) ? undefined : session.project?.id
  downloadFrom(addressOf(fillPath(images.download.path, { id }), { project_id: project }))
}
