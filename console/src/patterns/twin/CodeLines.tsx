import { useEffect, useRef, useState } from 'react'
import { CopyButton } from '../../ui/values/CopyButton'
import css from './CodeLines.module.css'

/** Code that changes while the user types, with changed lines tinted. Always left to right. */
export function CodeLines({ children, label }: { children: string; label: string }) {
  const before = useRef(children)
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    const known = new Set(before.current.split('\n'))
    const fresh = children.split('\n').filter((line) => !known.has(line))
    // an entirely different text, for example after switching tabs, is not tinted
    setChanged(new Set(fresh.length > 3 ? [] : fresh))
    before.current = children
  }, [children])
  return (
    <div className={css.block} dir="ltr">
      <section aria-label={label}>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable content must be reachable by keyboard */}
        <pre className={css.code} tabIndex={0}>
          {children.split('\n').map((line, at) => (
            <span key={at} className={css.line} data-changed={changed.has(line) || undefined}>
              {`${line}\n`}
            </span>
          ))}
        </pre>
      </section>
      <span className={css.corner}>
        <CopyButton value={children} called={label} />
      </span>
    </div>
  )
}
