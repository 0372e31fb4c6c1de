import type { Area } from '@mainstay/engines/ports/area-ports'
import type { ServedArea } from '@mainstay/engines/ports/engine'

/** Whether an area is served on the host of this server, where its data is: not by a cloud, nor by a gateway. */
export const isServedHere = ({ areas }: { areas: Readonly<Record<Area, ServedArea>> }, area: Area): boolean =>
  areas[area].engine?.isOfThisMachine === true
