import './themes/theme.css'
import { startConsole } from './Start'

await startConsole(() => import('./PortalApp'))
