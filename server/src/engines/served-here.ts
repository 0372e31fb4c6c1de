import type { Area } from '@mainstay/engines/ports/area-ports'
import type { ServedArea } from '@mainstay/engines/ports/engine'

/** Whether the host of this server serves an area and stores its data, instead of a cloud or a gateway. */
export const isServedHere = ({ areas }: { areas: Readonly<Record<Area, ServedArea>> }, area: Area): boolean =>
  areas[area].engine?.isOfThisMachine === true
