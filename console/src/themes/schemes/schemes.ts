import type { ColorScheme } from '@mainstay/contract/identity/color-schemes'

/**
 * One of the fifteen color schemes, which color interactive elements and the current selection. Status colors are not
 * part of a scheme.
 */
export interface Scheme {
  readonly id: ColorScheme
  readonly primary: string
  readonly hover: string
  readonly active: string
  /** Background of the header. */
  readonly header: string
  /** Background of selected elements. */
  readonly tint: string
  /** The primary color on dark surfaces. */
  readonly dark: string
}

// The table from 12-shell section 10.2. schemes.css defines the same values for the browser, and schemes.spec.ts
// compares the two.
// prettier-ignore
export const schemes = [
  { id: 'azure', primary: '#0b63ce', hover: '#0954af', active: '#084590', header: '#0b2951', tint: '#e7effa', dark: '#91b9e9' },
  { id: 'navy', primary: '#1f3a93', hover: '#1a317d', active: '#162967', header: '#111d40', tint: '#e9ebf4', dark: '#9aa6ce' },
  { id: 'indigo', primary: '#4b3fbf', hover: '#4036a2', active: '#342c86', header: '#1d1f4d', tint: '#edecf9', dark: '#aea9e2' },
  { id: 'violet', primary: '#6d28d9', hover: '#5d22b8', active: '#4c1c98', header: '#261854', tint: '#f0eafb', dark: '#bd9eee' },
  { id: 'plum', primary: '#86198f', hover: '#72157a', active: '#5e1264', header: '#2d143f', tint: '#f3e8f4', dark: '#c998cd' },
  { id: 'magenta', primary: '#b0146a', hover: '#96115a', active: '#7b0e4a', header: '#391335', tint: '#f7e8f0', dark: '#db95bc' },
  { id: 'crimson', primary: '#b4232c', hover: '#991e25', active: '#7e181f', header: '#3a1723', tint: '#f8e9ea', dark: '#dd9ca0' },
  { id: 'brick', primary: '#a6401b', hover: '#8d3617', active: '#742d13', header: '#361f1f', tint: '#f6ece8', dark: '#d7a998' },
  { id: 'amber', primary: '#8a5a00', hover: '#754c00', active: '#613f00', header: '#2f2617', tint: '#f3eee6', dark: '#cab58c' },
  { id: 'olive', primary: '#5c6b00', hover: '#4e5b00', active: '#404b00', header: '#222b17', tint: '#eff0e6', dark: '#b6bc8c' },
  { id: 'green', primary: '#1b7a3d', hover: '#176834', active: '#13552b', header: '#0f2f28', tint: '#e8f2ec', dark: '#98c3a8' },
  { id: 'teal', primary: '#0b7075', hover: '#095f63', active: '#084e52', header: '#0b2c38', tint: '#e7f1f1', dark: '#91bfc1' },
  { id: 'cyan', primary: '#0a6c8f', hover: '#085c7a', active: '#074c64', header: '#0b2b3f', tint: '#e6f0f4', dark: '#91bdcd' },
  { id: 'slate', primary: '#475569', hover: '#3c4859', active: '#323b4a', header: '#1c2534', tint: '#edeef0', dark: '#acb2bc' },
  { id: 'graphite', primary: '#2f3640', hover: '#282e36', active: '#21262d', header: '#151c29', tint: '#eaebec', dark: '#a1a5a9' },
] as const satisfies readonly Scheme[]
