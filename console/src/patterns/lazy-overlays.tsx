import { lazy, type ComponentProps, type ReactElement } from 'react'
import type { ChoiceMenuProps } from '../ui/overlays/ChoiceMenu'
import type { PopoverProps } from '../ui/overlays/Popover'
import { OnDemand } from './OnDemand'

/* Overlays whose code is loaded when they are first opened. */

const loadMenu = () => import('./ActionMenu')
const Menu = lazy(() => loadMenu().then(({ ActionMenu: component }) => ({ default: component })))
type MenuProps = ComponentProps<typeof Menu>

/** `ActionMenu`, loaded when it is first opened. Requires a trigger. */
export const LazyMenu = ({ trigger, ...menu }: Omit<MenuProps, 'trigger'> & { trigger: ReactElement }) => (
  <OnDemand button={trigger} load={loadMenu}>
    {(button) => <Menu {...menu} trigger={button} />}
  </OnDemand>
)

const loadChoiceMenu = () => import('../ui/overlays/ChoiceMenu')
const ChoiceMenu = lazy(() => loadChoiceMenu().then(({ ChoiceMenu: component }) => ({ default: component })))

/** `ChoiceMenu` of strings, loaded when it is first opened. */
export const LazyChoiceMenu = ({ trigger, ...menu }: ChoiceMenuProps<string>) => (
  <OnDemand button={trigger} load={loadChoiceMenu}>
    {(button) => <ChoiceMenu {...menu} trigger={button} />}
  </OnDemand>
)

const loadPopover = () => import('../ui/overlays/Popover')
const Popover = lazy(() => loadPopover().then(({ Popover: component }) => ({ default: component })))

/** `Popover`, loaded when it is first opened. */
export const LazyPopover = ({ trigger, ...popover }: PopoverProps) => (
  <OnDemand button={trigger} load={loadPopover}>
    {(button) => <Popover {...popover} trigger={button} />}
  </OnDemand>
)
