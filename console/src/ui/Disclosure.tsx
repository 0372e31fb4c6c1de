import type { ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { Disclosure as AriaDisclosure, DisclosurePanel } from 'react-aria-components/Disclosure'
import { Heading } from 'react-aria-components/Heading'
import { NextIcon } from './icons'
import css from './Disclosure.module.css'

export interface DisclosureProps {
  title: string
  /** Short summary of the content, shown while collapsed: "Host name web-1, no script". */
  summary?: ReactNode
  children: ReactNode
  isOpenAtFirst?: boolean | undefined
}

/** A collapsible section for rarely used settings ("Advanced"). */
export const Disclosure = ({ title, summary, children, isOpenAtFirst = false }: DisclosureProps) => (
  <AriaDisclosure className={css.disclosure ?? ''} defaultExpanded={isOpenAtFirst}>
    {({ isExpanded }) => (
      <>
        <Heading className={css.heading ?? ''}>
          <Button slot="trigger" className={css.trigger ?? ''}>
            <NextIcon />
            <span>{title}</span>
            {!isExpanded && summary && <bdi className={css.summary}>{summary}</bdi>}
          </Button>
        </Heading>
        <DisclosurePanel className={css.panel ?? ''}>
          <div className={css.content}>{children}</div>
        </DisclosurePanel>
      </>
    )}
  </AriaDisclosure>
)
