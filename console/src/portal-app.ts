import { createApp } from './create-app'
import { portalRoutes } from './routes'

export default createApp(portalRoutes)
