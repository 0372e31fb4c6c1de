import './themes/theme.css'
import { startConsole } from './start-console'

await startConsole(() => import('./admin-app'))
