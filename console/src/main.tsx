import './themes/theme.css'
import { startConsole } from './start-console'

await startConsole(() => import('./portal-app'))
