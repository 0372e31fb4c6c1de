import { createApp } from './App'
import { portalRoutes } from './routes'

export default createApp(portalRoutes)
