import type { HostInterface } from '@mainstay/contract/infrastructure/node-facts'
import * as z from 'zod'

type Neighbor = NonNullable<HostInterface['neighbor']>

const Values = z.array(z.object({ type: z.string().optional(), value: z.string() })).optional()
const Lldp = z.object({
  lldp: z.array(
    z.object({
      interface: z
        .array(
          z.object({
            name: z.string(),
            chassis: z.array(z.object({ id: Values, name: Values })).optional(),
            port: z.array(z.object({ id: Values, descr: Values })).optional(),
          }),
        )
        .optional(),
    }),
  ),
})

/**
 * Parses `lldpctl -f json0`. Returns the first neighbor of each interface. Without its daemon, lldpctl prints nothing.
 */
export function parseNeighbors(text: string): Map<string, Neighbor> {
  const found = new Map<string, Neighbor>()
  if (text.trim() === '') return found
  for (const { name, chassis, port } of Lldp.parse(JSON.parse(text)).lldp.flatMap((all) => all.interface ?? [])) {
    const system = chassis?.[0]?.name?.[0]?.value ?? chassis?.[0]?.id?.[0]?.value
    const id = port?.[0]?.id?.[0]
    const at = id?.type === 'ifname' ? id.value : (port?.[0]?.descr?.[0]?.value ?? id?.value)
    if (system && at && !found.has(name)) found.set(name, { system, port: at })
  }
  return found
}
