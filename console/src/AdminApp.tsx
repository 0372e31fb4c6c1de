import { adminRoutes } from './admin-routes'
import { createApp } from './App'

export default createApp(adminRoutes)
