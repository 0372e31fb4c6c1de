import { Problem } from '../core/problems'

/** How many of each kind have a placement. */
export interface PlacementUse {
  nodes: number
  images: number
  flavors: number
  servers: number
}

const words: Readonly<Record<keyof PlacementUse, readonly [one: string, many: string]>> = {
  nodes: ['node', 'nodes'],
  images: ['image', 'images'],
  flavors: ['flavor', 'flavors'],
  servers: ['virtual machine', 'virtual machines'],
}
const list = new Intl.ListFormat('en')

/** Why a placement that something has is not deleted; null where nothing has it. */
export function whyPlacementStays(use: PlacementUse): Problem | null {
  const users = (Object.keys(words) as (keyof PlacementUse)[]).flatMap((kind) => {
    const [one, many] = words[kind]
    return use[kind] === 0 ? [] : [`${use[kind]} ${use[kind] === 1 ? one : many}`]
  })
  return users.length === 0
    ? null
    : new Problem('in_use', `The placement is used by ${list.format(users)}`, { data: { ...use } })
}
