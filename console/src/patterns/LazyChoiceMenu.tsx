import { lazy } from 'react'
import type { ChoiceMenuProps } from '../ui/overlays/ChoiceMenu'
import { OnDemand } from './OnDemand'

const load = () => import('../ui/overlays/ChoiceMenu')
const ChoiceMenu = lazy(() => load().then(({ ChoiceMenu: component }) => ({ default: component })))

/** `ChoiceMenu` of strings, fetched when it is opened. */
export const LazyChoiceMenu = ({ trigger, ...menu }: ChoiceMenuProps<string>) => (
  <OnDemand button={trigger} load={load}>
    {(button) => <ChoiceMenu {...menu} trigger={button} />}
  </OnDemand>
)
