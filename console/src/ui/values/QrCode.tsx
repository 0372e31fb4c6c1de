import { encode } from 'uqr'
import css from './QrCode.module.css'

/**
 * A QR code generated in the browser, so that its content is not sent anywhere. Dark on light in every theme, as
 * scanners expect.
 */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 2 })
  const dots = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return (
    <svg className={css.qr} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={dots.join('')} fill="#000" />
    </svg>
  )
}
