-- Matches judged again: what was asked for, its parts, each a job of the queue, and the strokes that differ.
create table batch (
    id int generated always as identity primary key,
    source text not null,                        -- of the facts: strokes, tracks, video
    program text not null,                       -- version that judges; only workers of this version take its jobs
    rules text,                                  -- null: each match's own book
    book text,                                   -- text of that book if it is the club's own
    since timestamptz,
    player text,
    key text not null,                           -- with which workers fetch clips from the hub
    asked_by text not null default '',
    asked_at timestamptz not null default now()
);

create table part (
    batch int not null references batch on delete cascade,
    match uuid not null references match on delete cascade,
    n int not null,                              -- stroke; 0: the whole match
    bytes bigint not null,                       -- of the log, which are judged even if it has grown since
    job bigint not null,
    strokes int,                                 -- null until it is done
    differ int,
    unseen int,
    digest text,                                 -- SHA-256 of the results: the same for the same program and input
    problem text,                                -- why the last attempt failed
    done_at timestamptz,
    primary key (batch, match, n)
);
create index part_of_job on part (job);

create table again (
    batch int not null,
    match uuid not null,
    part int not null,
    n int not null,
    result text not null,                        -- JSON, byte for byte as it was made
    primary key (batch, match, n),
    foreign key (batch, match, part) references part on delete cascade
);

-- Where workers on other machines reach the hub.
create table reach (
    only_one bool primary key default true check (only_one),
    url text not null,
    certificate text not null
);
