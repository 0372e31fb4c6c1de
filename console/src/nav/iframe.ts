import { createContext } from 'react'
import type { PageRoute } from './route'

/*
 * Forms embedded in other web pages, without header, menu or notifications, under `/iframe` (S1§2). Their paths are the
 * same as in the console, without the `compute/` prefix.
 */
const root = '/iframe'

export const isIframePlace = (place: string) => place.startsWith(`${root}/`)

/** Path under `/iframe`: `networks/add` for `compute/networks/add`. */
export const iframePath = (path: string) => path.replace(/^compute\//, '')

/** Pages that change data are forms and can be embedded; other pages opt in with `isFramed`. */
export const canBeFramed = ({ needs, frame, isFramed }: PageRoute) =>
  frame === 'whole' && (isFramed || (typeof needs === 'object' && needs.ability !== 'read'))

/** Sign-in page for embedded forms. It only asks the user to sign in, which avoids a redirect loop. */
export const iframeSignIn = (back: string) => `${root}/sign-in?redirectUrl=${encodeURIComponent(back)}`

const patternOf = (path: string) =>
  new RegExp(
    `^/${path
      .split('/')
      .map((step) => (step.startsWith('{-$') ? '(/[^/]+)?' : step.startsWith('$') ? '/[^/]+' : `/${step}`))
      .join('')
      .slice(1)}$`,
  )

let patterns: readonly RegExp[] = []
/** Called by the router when it is built. */
export const setFramedPages = (paths: readonly string[]) => {
  patterns = paths.map(patternOf)
}

/** The embedded version of a page; null if it cannot be embedded. */
export const placeInIframe = (to: string): string | null =>
  patterns.some((pattern) => pattern.test(to)) ? `${root}/${iframePath(to.slice(1))}` : null

export type FormResult = 'done' | 'cancel'
/** Reports the result of an embedded form to the embedding page; null outside `/iframe`. */
export const IframeContext = createContext<((result: FormResult, id?: string) => void) | null>(null)
