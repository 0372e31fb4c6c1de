import { lazy, type ComponentProps, type ReactElement } from 'react'
import { OnDemand } from './OnDemand'

const load = () => import('./ActionMenu')
const Menu = lazy(() => load().then(({ ActionMenu: component }) => ({ default: component })))
type MenuProps = ComponentProps<typeof Menu>

/** `ActionMenu`, fetched when it is opened. The trigger must be given. */
export const LazyMenu = ({ trigger, ...menu }: Omit<MenuProps, 'trigger'> & { trigger: ReactElement }) => (
  <OnDemand button={trigger} load={load}>
    {(button) => <Menu {...menu} trigger={button} />}
  </OnDemand>
)
