import { lazy } from 'react'
import type { PopoverProps } from '../ui/overlays/Popover'
import { OnDemand } from './OnDemand'

const load = () => import('../ui/overlays/Popover')
const Popover = lazy(() => load().then(({ Popover: component }) => ({ default: component })))

/** `Popover`, fetched when it is opened. */
export const LazyPopover = ({ trigger, ...popover }: PopoverProps) => (
  <OnDemand button={trigger} load={load}>
    {(button) => <Popover {...popover} trigger={button} />}
  </OnDemand>
)
