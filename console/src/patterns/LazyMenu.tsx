import { lazy, type ReactElement } from 'react'
import type { MenuProps } from '../ui/overlays/Menu'
import { OnDemand } from './OnDemand'

const load = () => import('../ui/overlays/Menu')
const Menu = lazy(() => load().then(({ Menu: component }) => ({ default: component })))

/** `Menu`, fetched when it is opened. The trigger must be given. */
export const LazyMenu = ({ trigger, ...menu }: Omit<MenuProps, 'trigger'> & { trigger: ReactElement }) => (
  <OnDemand button={trigger} load={load}>
    {(button) => <Menu {...menu} trigger={button} />}
  </OnDemand>
)
