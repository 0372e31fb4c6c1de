import { module } from '../../module'
import { mailing } from './mail-job'
import { notificationRoutes } from './notifications.routes'

export const settingsModule = module({ routes: [notificationRoutes], jobs: [mailing] })
