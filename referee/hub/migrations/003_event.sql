-- A tournament: who plays where in which round, from an event file; and SoL's scorecards, one bound to each board.
create table game (
    tourney text not null,
    round int not null,
    board text not null,                         -- name of the board, as its station is called
    players jsonb not null,                      -- names by seat, as the round begins
    primary key (tourney, round, board)
);

create table card (
    station text primary key,
    url text not null,                           -- of SoL's board label; the same in every round
    sent text not null default '',               -- what SoL has, with the match and round that it is of
    ended boolean not null default false,        -- the result stands, and SoL has it
    problem text not null default ''             -- why the last attempt failed
);
