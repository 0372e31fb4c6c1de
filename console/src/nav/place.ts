import { rootPath } from '../lib/root-path'

/** The path within the console, without the mount prefix: `/compute/ssh-keys?search=a`. */
export const placeOf = ({ pathname, search, hash }: Pick<Location, 'pathname' | 'search' | 'hash'>) =>
  `/${pathname.startsWith(rootPath) ? pathname.slice(rootPath.length) : ''}${search}${hash}`

/** Replaces the URL without navigating. */
export const putPlace = (place: string) => history.replaceState(null, '', `${rootPath.replace(/\/$/, '')}${place}`)
