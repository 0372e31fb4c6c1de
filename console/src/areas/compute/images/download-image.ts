import { images, type Image } from '@mainstay/contract/compute/images'
import { fillPath } from '@mainstay/contract/core/endpoint'
import { addressOf } from '../../../api/address'
import { downloadFrom } from '../../../api/transfers/download'
import { isAllTenants, sessionNow } from '../../../session/session'

/**
 * Lets the browser download the file, so that the data does not pass through the page. The browser sends only its
 * cookie, which is not bound to a project, so the URL names the project.
 */
export function downloadImage({ id }: Pick<Image, 'id'>) {
  const session = sessionNow()
  const project = isAllTenants(session) ? undefined : session.project?.id
  downloadFrom(addressOf(fillPath(images.download.path, { id }), { project_id: project }))
}
