import { useLayoutEffect, useRef, useState } from 'react'
import { useT } from '../../i18n/use-t'
import { classes } from '../../lib/classes'
import { Button } from '../../ui/Button'
import css from './NoticeText.module.css'

/** Rows shown initially, and the maximum number of rows expanded in place; longer text opens in a dialog (S1§9). */
const [shownRows, mostRows] = [3, 10]
/** Must match the line height in the CSS. */
const rowPx = 20

/** A message truncated to three rows. "Show more" expands it in place or opens the dialog. */
export function NoticeText({ children, onDetails }: { children: string; onDetails: () => void }) {
  const t = useT('notices')
  const place = useRef<HTMLDivElement>(null)
  const [rows, setRows] = useState(0)
  const [isOpen, setOpen] = useState(false)
  useLayoutEffect(() => {
    const { current } = place
    if (!current) return
    const measure = () => setRows(Math.round(current.scrollHeight / rowPx))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => observer.disconnect()
  }, [children])
  return (
    <>
      <div ref={place} className={classes(css.text, !isOpen && css.short)}>
        {children}
      </div>
      {rows > shownRows && (
        <Button
          variant="plain"
          size="small"
          className={css.more}
          onPress={rows > mostRows ? onDetails : () => setOpen(!isOpen)}
        >
          {t(isOpen ? 'less' : 'more')}
        </Button>
      )}
    </>
  )
}
