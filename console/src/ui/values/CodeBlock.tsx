import { CopyButton } from './CopyButton'
import css from './CodeBlock.module.css'

/**
 * Multi-line text such as a key, a script or a log, with a copy button. Always left to right; can also be scrolled with
 * the keyboard.
 */
export const CodeBlock = ({ children, label }: { children: string; label: string }) => (
  <div className={css.block} dir="ltr">
    <section aria-label={label}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable content must be reachable by keyboard */}
      <pre className={css.pre} tabIndex={0} translate="no">
        {children}
      </pre>
    </section>
    <span className={css.corner}>
      <CopyButton value={children} called={label} />
    </span>
  </div>
)
