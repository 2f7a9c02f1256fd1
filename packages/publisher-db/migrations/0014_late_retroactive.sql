-- Programs and deals of which rewards learned late that they were retroactive. Enrolments and clips that were made meanwhile were
-- told to the platform without purchases that they count for: rewards puts them into `new_links` again, in steps. In the same
-- transaction as what it learned, so that no crash comes between. Nearly always empty.
create table late_retroactive (
  -- Only links that were made later than a minute after it count for purchases that they did not count for.
  since timestamptz not null,
  -- Of the program or deal.
  id uuid not null,
  is_deal boolean not null,
  -- How far it is: ids of links begin with the time, by the clock of the edge.
  last_link uuid not null,
  constraint late_retroactive_pkey primary key (id)
);

-- Whether the link was told of before, with what was known then: those of a change that came late may be millions, and new links
-- go before them.
alter table new_links add column if not exists is_told_again boolean not null default false;
