import { lazy, type ComponentProps, type ReactElement } from 'react'
import type { ChoiceMenuProps } from '../ui/overlays/ChoiceMenu'
import type { PopoverProps } from '../ui/overlays/Popover'
import { OnDemand } from './OnDemand'

/* Overlays that are fetched when they are first opened. */

const loadMenu = () => import('./ActionMenu')
const Menu = lazy(() => loadMenu().then(({ ActionMenu: component }) => ({ default: component })))
type MenuProps = ComponentProps<typeof Menu>

/** `ActionMenu`, fetched when it is opened. The trigger must be given. */
export const LazyMenu = ({ trigger, ...menu }: Omit<MenuProps, 'trigger'> & { trigger: ReactElement }) => (
  <OnDemand button={trigger} load={loadMenu}>
    {(button) => <Menu {...menu} trigger={button} />}
  </OnDemand>
)

const loadChoiceMenu = () => import('../ui/overlays/ChoiceMenu')
const ChoiceMenu = lazy(() => loadChoiceMenu().then(({ ChoiceMenu: component }) => ({ default: component })))

/** `ChoiceMenu` of strings, fetched when it is opened. */
export const LazyChoiceMenu = ({ trigger, ...menu }: ChoiceMenuProps<string>) => (
  <OnDemand button={trigger} load={loadChoiceMenu}>
    {(button) => <ChoiceMenu {...menu} trigger={button} />}
  </OnDemand>
)

const loadPopover = () => import('../ui/overlays/Popover')
const Popover = lazy(() => loadPopover().then(({ Popover: component }) => ({ default: component })))

/** `Popover`, fetched when it is opened. */
export const LazyPopover = ({ trigger, ...popover }: PopoverProps) => (
  <OnDemand button={trigger} load={loadPopover}>
    {(button) => <Popover {...popover} trigger={button} />}
  </OnDemand>
)
