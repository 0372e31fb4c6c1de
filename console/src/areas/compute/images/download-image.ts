import { images, type Image } from '@mainstay/contract/compute/images'
import { fillPath } from '@mainstay/contract/core/endpoint'
import { addressOf } from '../../../api/address'
import { downloadFrom } from '../../../api/transfers/download'
import { isAllTenants, sessionNow } from '../../../session/session'

/**
 * Lets the browser download the file directly, so that the data does not pass through JavaScript. The browser sends
 * only the session cookie, which is not bound to a project, so the project is passed in the URL.
 */
export function downloadImage({ id }: Pick<Image, 'id'>) {
  const session = sessionNow()
  const project = isAllTenants(session) ? undefined : session.project?.id
  downloadFrom(addressOf(fillPath(images.download.path, { id }), { project_id: project }))
}
