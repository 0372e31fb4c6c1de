import { adminRoutes } from './admin-routes'
import { createApp } from './create-app'

export default createApp(adminRoutes)
