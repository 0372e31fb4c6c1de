import { rootPath } from '../lib/root-path'

/** An address within the console, without the prefix under which it is mounted: `/compute/ssh-keys?search=a`. */
export const placeOf = ({ pathname, search, hash }: Pick<Location, 'pathname' | 'search' | 'hash'>) =>
  `/${pathname.startsWith(rootPath) ? pathname.slice(rootPath.length) : ''}${search}${hash}`

/** Shows another address without going anywhere. */
export const putPlace = (place: string) => history.replaceState(null, '', `${rootPath.replace(/\/$/, '')}${place}`)
