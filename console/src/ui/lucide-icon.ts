import { createElement, type SVGProps } from 'react'
import { classes } from '../lib/classes'

interface IconData {
  name: string
  /** Shapes in a 24 × 24 view box. */
  node: readonly (readonly [shape: string, attributes: Readonly<Record<string, string>>])[]
  aliases?: readonly unknown[]
}

interface IconProps extends SVGProps<SVGSVGElement> {
  /** Width and height in pixels. */
  size?: number | string | undefined
}

/** Renders an icon as lucide does: in the text color, and hidden from screen readers unless it has a label. */
export default function createIcon({ name, node }: IconData) {
  return ({ size = 24, className, ...rest }: IconProps) =>
    createElement(
      'svg',
      {
        xmlns: 'http://www.w3.org/2000/svg',
        width: size,
        height: size,
        viewBox: '0 0 24 24',
        fill: 'none',
        stroke: 'currentColor',
        strokeWidth: 2,
        strokeLinecap: 'round',
        strokeLinejoin: 'round',
        'aria-hidden': rest['aria-label'] || rest.role ? undefined : true,
        ...rest,
        className: classes('lucide', `lucide-${name}`, className),
      },
      ...node.map(([shape, attributes]) => createElement(shape, attributes)),
    )
}
