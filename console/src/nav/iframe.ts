import { createContext } from 'react'
import type { PageRoute } from './route'

/*
 * Pages that stand in a page of somebody else's: forms without header, menu and notices, below `/iframe` (S1§2). Each has
 * the address that it has in the console, without the `compute/` in front.
 */
const root = '/iframe'

export const isIframePlace = (place: string) => place.startsWith(`${root}/`)

/** Below `/iframe`: `networks/add` for `compute/networks/add`. */
export const iframePath = (path: string) => path.replace(/^compute\//, '')

/** What changes something is a form, and can stand alone; so can a page that says so. */
export const canBeFramed = ({ needs, frame, isFramed }: PageRoute) =>
  frame === 'whole' && (isFramed || (typeof needs === 'object' && needs.ability !== 'read'))

/** Where somebody who is not signed in is sent within a frame: to a line that says so, never round in circles. */
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
/** Told by the router when it is made. */
export const setFramedPages = (paths: readonly string[]) => {
  patterns = paths.map(patternOf)
}

/** The same page within the frame; null where it is none of those that can stand there. */
export const placeInIframe = (to: string): string | null =>
  patterns.some((pattern) => pattern.test(to)) ? `${root}/${iframePath(to.slice(1))}` : null

export type FormResult = 'done' | 'cancel'
/** How a form in a frame ends; null in the console itself. */
export const IframeContext = createContext<((result: FormResult, id?: string) => void) | null>(null)
